#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// libFuzzer as a library: its own `main` cannot be used, as SwiftPM gives the `main` of an executable another name.
///
/// A C function; the two calling conventions agree on pointers.
@_silgen_name("LLVMFuzzerRunDriver")
private func LLVMFuzzerRunDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Runs libFuzzer with the program's arguments on the function that each fuzz target defines, on the smallest stack
/// that foreign input may meet.
@main
struct Fuzzer {
    /// Bytes of a thread's stack where nobody asks for more, which the sanitizer makes frames of twice the size share.
    private static let stackBytes = 512 << 10

    static func main() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, stackBytes)
        var thread = pthread_t()
        let code = pthread_create(&thread, &attributes, runDriver, nil)
        precondition(code == 0, "could not start a thread: \(code)")
        pthread_join(thread, nil)
    }
}

private func runDriver(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(LLVMFuzzerRunDriver(&count, &arguments, fuzz))
}
