import CHTTPLoop

// The server against the same server in C, and ten thousand held answers. The clients are processes of their own:
// the program runs itself with the name of a part.
let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case nil: try await Report.run(quick: false)
case "--quick": try await Report.run(quick: true)
case "load":
    let answers = chttp_load(Int32(arguments[2])!, arguments[3], Int32(arguments[4])!, Double(arguments[5])!)
    print(answers, chttp_processor_nanoseconds())
case "hold":
    warnAboutDescriptors(needed: Int64(arguments[4])! + 100, in: "the clients' process")
    exitWith(chttp_hold(Int32(arguments[2])!, arguments[3], Int32(arguments[4])!))
default: print("usage: HTTPServerBenchmark [--quick]")
}
