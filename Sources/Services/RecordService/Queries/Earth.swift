import CloudModel

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Distances on the mean sphere.
enum Earth {
    private static let radiusMetres = 6_371_008.8

    /// The great-circle distance of two places.
    static func metres(from: Location, to: Location) -> Double {
        let (a, b) = (radians(from.latitude), radians(to.latitude))
        let halfLatitude = sin((b - a) / 2)
        let halfLongitude = sin(radians(to.longitude - from.longitude) / 2)
        let chord = halfLatitude * halfLatitude + cos(a) * cos(b) * halfLongitude * halfLongitude
        return 2 * radiusMetres * asin(min(1, chord.squareRoot()))
    }

    static func cosine(_ radians: Double) -> Double { cos(radians) }

    private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
}
