#if canImport(Glibc)
    import Glibc
#endif

/// The time of day.
package enum WallClock {
    /// Milliseconds since 1970, UTC.
    package static var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// Nanoseconds since 1970, UTC.
    package static var nanoseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}
