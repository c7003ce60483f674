#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <fstream>
#include <ptybot/client.hpp>

TEST_CASE("a pressed bumper reaches the driver")
{
    ptybot::run sim("kobuki", {"--lockstep"});
    std::ifstream port(sim.port("kobuki"));
    sim.command("kobuki.press bumper=left");
    sim.step(100);
    port.ignore(7);
    REQUIRE(port.get() == 4);
}
