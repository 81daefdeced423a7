import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The metrics of the process itself, by the names that Prometheus' client libraries give them, and which build it is.
package enum ProcessMetrics {
    private static let cpu = GaugeTable(
        "process_cpu_seconds_total", "Time on processors, of the process and the system for it.", kind: "counter"
    ) {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return [] }
        let times = [usage.ru_utime, usage.ru_stime]
        return [.init(labels: [], value: times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 })]
    }
    private static let memory = GaugeTable("process_resident_memory_bytes", "Memory that the process has in use.") {
        // Pages: the whole mapping, then the resident part.
        let pages = text(of: "/proc/self/statm").split(separator: " ")
        guard pages.count > 1, let resident = Double(pages[1]) else { return [] }
        return [.init(labels: [], value: resident * Double(sysconf(Int32(_SC_PAGESIZE))))]
    }
    private static let descriptors = GaugeTable("process_open_fds", "Files and connections that are open.") {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Neither the folder itself, nor `.` and `..`.
        return [.init(labels: [], value: Double(max(0, count - 3)))]
    }
    private static let descriptorsMax = GaugeTable("process_max_fds", "Files and connections that may be open at once.")
    {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return [] }
        return [.init(labels: [], value: Double(limit.rlim_cur))]
    }
    private static let started = Double(WallClock.milliseconds) / 1000
    private static let start = GaugeTable("process_start_time_seconds", "When the process started, since 1970.") {
        [.init(labels: [], value: started)]
    }

    private static let build = Mutex<GaugeTable?>(nil)

    /// Registers them; once for a process.
    /// - Parameter version: the version of the program.
    package static func register(version: String) {
        _ = (cpu, memory, descriptors, descriptorsMax, started, start)
        build.withLock { build in
            guard build == nil else { return }
            build = GaugeTable("fanfare_build_info", "Always 1: the version of the program is a label.") {
                [.init(labels: [("version", version)], value: 1)]
            }
        }
    }

    private static func text(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
