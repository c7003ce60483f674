// A Kobuki driver in Rust: a thread that reads sends to a channel, and three workers take turns at
// its end. As threads_host.cpp: threads_host PORT.
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::sync::{mpsc, Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

fn main() {
    let path = std::env::args().nth(1).expect("a port");
    let mut port = OpenOptions::new().read(true).write(true).open(path).expect("port");
    let (sender, receiver) = mpsc::channel::<u32>();
    let receiver = Arc::new(Mutex::new(receiver));
    let shared = Arc::new(Mutex::new((port.try_clone().expect("port"), 0u32)));
    for who in 1..=3u32 {
        let (receiver, shared) = (receiver.clone(), shared.clone());
        thread::spawn(move || loop {
            let heard = receiver.lock().unwrap().recv_timeout(Duration::from_millis(500)).unwrap_or(0);
            let mut state = shared.lock().unwrap();
            state.1 = (state.1 * 31 + who * 7 + heard) % 1000003;
            let mut frame = vec![0xaa, 0x55, 6, 1, 4, (100 + state.1 % 97) as u8, 0, who as u8, 0];
            frame.push(frame[2..].iter().fold(0, |sum, byte| sum ^ byte));
            state.0.write_all(&frame).unwrap();
        });
    }
    let (start, mut bytes, mut heard) = (Instant::now(), [0u8; 256], 0u32);
    while start.elapsed() < Duration::from_secs(2) {
        let size = port.read(&mut bytes).unwrap();
        for byte in &bytes[..size] {
            heard = (heard * 31 + u32::from(*byte)) % 1000003;
        }
        for _ in 0..3 {
            sender.send(heard).unwrap();
        }
    }
    let _last = shared.lock().unwrap();
    std::process::exit(0);
}
