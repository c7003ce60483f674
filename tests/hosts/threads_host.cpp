// Kobuki drivers in C++ whose threads race for the port: threads_host WAY PORT. The main thread
// reads; received data wakes three workers, and each of them writes a command that depends on the
// order of all commands. So two runs that schedule the workers differently send different bytes.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <fcntl.h>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <poll.h>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace std::chrono_literals;

namespace
{

constexpr int workers = 3, rounds_max = 1000;
int port;
std::mutex port_mutex;
unsigned order, heard;

void command(unsigned who)
{
    const std::lock_guard<std::mutex> guard(port_mutex);
    order = (order * 31 + who * 7 + heard) % 1000003;
    uint8_t frame[] = {
        0xaa, 0x55, 6, 1, 4, static_cast<uint8_t>(100 + order % 97), 0, static_cast<uint8_t>(who),
        0,    0};
    for (int i = 2; i < 9; i++)
        frame[9] ^= frame[i];
    if (write(port, frame, sizeof frame) != sizeof frame)
        _exit(1);
}

bool hear()
{
    uint8_t bytes[256];
    const ssize_t size = read(port, bytes, sizeof bytes);
    for (ssize_t i = 0; i < size; i++)
        heard = (heard * 31 + bytes[i]) % 1000003;
    return size > 0;
}

void start(const std::function<void(unsigned)> &work)
{
    for (unsigned who = 1; who <= workers; who++)
        std::thread([=] { work(who); }).detach();
}

// Reads for two seconds of its clock, and notifies the workers after each read.
void read_on(const std::function<void()> &tell)
{
    const auto end = std::chrono::steady_clock::now() + 2s;
    while (hear() && std::chrono::steady_clock::now() < end)
        tell();
}

std::mutex mutex;
std::condition_variable news;

void by_broadcast()
{
    start([](unsigned who) {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex);
            news.wait_for(lock, 500ms);
            command(who);
        }
    });
    read_on([] { news.notify_all(); });
}

void by_barrier()
{
    static std::barrier together(workers + 1);
    start([](unsigned who) {
        for (;;) {
            together.arrive_and_wait();
            command(who);
        }
    });
    read_on([] { together.arrive_and_wait(); });
}

void by_latch()
{
    static std::vector<std::unique_ptr<std::latch>> latches;
    static int next;
    for (int i = 0; i < rounds_max; i++)
        latches.push_back(std::make_unique<std::latch>(1));
    start([](unsigned who) {
        for (const auto &latch : latches) {
            latch->wait();
            command(who);
        }
    });
    read_on([] { latches[next++]->count_down(); });
}

void by_semaphore()
{
    static std::counting_semaphore<1000> units(0);
    start([](unsigned who) {
        for (;;) {
            units.acquire();
            command(who);
        }
    });
    read_on([] { units.release(2); });
}

void by_timed_mutex()
{
    static std::timed_mutex turn;
    start([](unsigned who) {
        for (;;)
            if (turn.try_lock_for(30ms)) {
                command(who);
                std::this_thread::sleep_for(7ms);
                turn.unlock();
            }
    });
    read_on([] {});
}

void by_future()
{
    static std::vector<std::promise<unsigned>> promises(rounds_max);
    static std::vector<std::shared_future<unsigned>> futures;
    static int next;
    for (auto &promise : promises)
        futures.push_back(promise.get_future().share());
    start([](unsigned who) {
        for (const auto &future : futures)
            command(who + future.get());
    });
    read_on([] { promises[next++].set_value(heard % 7); });
}

void by_pool()
{
    static std::deque<std::function<void(unsigned)>> tasks;
    start([](unsigned who) {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex);
            news.wait(
                lock, [] { return !tasks.empty(); });
            const auto task = tasks.front();
            tasks.pop_front();
            lock.unlock();
            task(who);
        }
    });
    read_on([] {
        for (int i = 0; i < workers; i++) {
            const std::lock_guard<std::mutex> lock(mutex);
            tasks.push_back(command);
            news.notify_one();
        }
    });
}

// Like boost.asio: threads share one epoll, and each event is handled by one of them.
void by_strand()
{
    static const int loop = epoll_create1(0), posted = eventfd(0, EFD_SEMAPHORE);
    epoll_event event = {.events = EPOLLIN, .data = {.fd = posted}};
    epoll_ctl(loop, EPOLL_CTL_ADD, posted, &event);
    start([](unsigned who) {
        for (;;) {
            epoll_event ready;
            uint64_t one;
            if (epoll_wait(loop, &ready, 1, 400) == 1 && read(posted, &one, sizeof one) > 0)
                command(who);
        }
    });
    read_on([] {
        const uint64_t two = 2;
        if (write(posted, &two, sizeof two) < 0)
            _exit(1);
    });
}

// Like Qt: workers post events to the loop of the main thread, which a pipe wakes.
void by_event_loop()
{
    static int ends[2];
    static std::deque<unsigned> events;
    if (pipe(ends) != 0)
        _exit(1);
    start([](unsigned who) {
        for (;;) {
            std::this_thread::sleep_for(20ms);
            const std::lock_guard<std::mutex> lock(mutex);
            events.push_back(who);
            if (write(ends[1], "", 1) != 1)
                _exit(1);
        }
    });
    const auto end = std::chrono::steady_clock::now() + 2s;
    while (std::chrono::steady_clock::now() < end) {
        pollfd fds[] = {{port, POLLIN, 0}, {ends[0], POLLIN, 0}};
        char byte;
        poll(fds, 2, -1);
        if (fds[0].revents != 0)
            hear();
        if (fds[1].revents == 0 || read(ends[0], &byte, 1) != 1)
            continue;
        const std::lock_guard<std::mutex> lock(mutex);
        command(events.front());
        events.pop_front();
    }
}

void by_shared_mutex()
{
    static std::shared_mutex state;
    start([](unsigned who) {
        for (;;) {
            std::this_thread::sleep_for(10ms);
            const std::shared_lock<std::shared_mutex> lock(state);
            std::this_thread::sleep_for(std::chrono::milliseconds(who));
            command(who);
        }
    });
    read_on([] {
        const std::unique_lock<std::shared_mutex> lock(state);
        std::this_thread::sleep_for(12ms);
    });
}

void by_atomic()
{
    static std::atomic<unsigned> count;
    start([](unsigned who) {
        for (unsigned seen = 0;; seen = count.load()) {
            count.wait(seen);
            command(who);
        }
    });
    read_on([] {
        count++;
        count.notify_all();
    });
}

const struct {
    const char *name;
    void (*drive)();
} ways[] = {
    {"broadcast", by_broadcast},
    {"barrier", by_barrier},
    {"latch", by_latch},
    {"semaphore", by_semaphore},
    {"timed_mutex", by_timed_mutex},
    {"future", by_future},
    {"pool", by_pool},
    {"strand", by_strand},
    {"event_loop", by_event_loop},
    {"shared_mutex", by_shared_mutex},
    {"atomic", by_atomic},
};

} // namespace

int main(int count, char **words)
{
    if (count != 3 || (port = open(words[2], O_RDWR | O_NOCTTY)) < 0)
        return 2;
    termios mode;
    tcgetattr(port, &mode);
    cfmakeraw(&mode);
    cfsetspeed(&mode, B115200);
    tcsetattr(port, TCSANOW, &mode);
    for (const auto &way : ways)
        if (std::string(way.name) == words[1]) {
            way.drive();
            const std::lock_guard<std::mutex> guard(port_mutex);
            _exit(0);
        }
    return 2;
}
