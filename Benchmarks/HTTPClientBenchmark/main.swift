import CPushLoop
import Foundation
import HTTPClient

// Pushes on one HTTP/2 connection against a loop over libcurl in C, in turns: the processor's time of the client and
// the rate. The server is a process of its own.
let arguments = CommandLine.arguments
guard arguments.count == 5, let rounds = Int(arguments[3]), let count = Int(arguments[4]) else {
    print("usage: HTTPClientBenchmark URL CA-FILE ROUNDS PUSHES")
    exit(64)
}
for window in [100, 200, 500] {
    try await PushRounds(url: arguments[1], caFile: arguments[2], count: count, window: window).measure(rounds: rounds)
}
