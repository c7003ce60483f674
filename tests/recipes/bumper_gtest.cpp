#include <fstream>
#include <gtest/gtest.h>
#include <ptybot/client.hpp>

TEST(Kobuki, TellsTheHostOfAPressedBumper)
{
    ptybot::run sim("kobuki", {"--lockstep"});
    std::ifstream port(sim.port("kobuki"));
    sim.command("kobuki.press bumper=left");
    sim.step(100);
    port.ignore(7);
    EXPECT_EQ(port.get(), 4);
}
