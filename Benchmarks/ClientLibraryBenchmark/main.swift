import Foundation

// The client library beside requests that are put together by hand, on the same transport, against a service that runs.
let arguments = CommandLine.arguments
guard arguments.count == 3, let rounds = Int(arguments[2]) else {
    print("usage: ClientLibraryBenchmark DEV.JSON ROUNDS")
    exit(64)
}
try await LibraryRig(configuration: arguments[1], rounds: rounds).run()
