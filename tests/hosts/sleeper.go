// A program that waits by the kernel's clock, past all that is preloaded.
package main

import "time"

func main() { time.Sleep(time.Second) }
