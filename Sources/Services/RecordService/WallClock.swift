package import CloudModel

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The time of day.
@Sendable package func wallClock() -> Timestamp {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Timestamp(milliseconds: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
}
