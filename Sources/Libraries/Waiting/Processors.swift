#if canImport(Glibc)
    import Glibc
#endif

/// The processors of this process.
package enum Processors {
    /// The number of processors that the process may run on (`taskset`, a container's cpuset), 1 at least.
    package static let count: Int = {
        #if canImport(Glibc)
            // Swift's module of glibc lacks `sched_getaffinity`.
            if let count = allowed(in: status()) { return count }
        #endif
        return max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }()

    /// The number of bits of `Cpus_allowed` in a process's status, which has them in hexadecimal; nil if there is none.
    static func allowed(in status: String) -> Int? {
        let lines = status.split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("Cpus_allowed:") }) else { return nil }
        let count = line.dropFirst(13).compactMap(\.hexDigitValue).reduce(0) { $0 + $1.nonzeroBitCount }
        return count > 0 ? count : nil
    }

    private static func status() -> String {
        let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, 65_536))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
