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

/// Runs libFuzzer with the program's arguments on the function that each fuzz target defines.
@main
struct Fuzzer {
    static func main() {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments, fuzz))
    }
}
