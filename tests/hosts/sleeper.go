// A program that waits by the kernel's clock, independent of preloaded libraries.
package main

import "time"

func main() { time.Sleep(time.Second) }
