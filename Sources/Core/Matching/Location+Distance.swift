package import CloudModel

#if canImport(Glibc)
    import Glibc
#endif

extension Location {
    /// Earth's mean radius in metres (IUGG's R1).
    package static let earthRadius = 6_371_008.8

    /// Metres to another place along the great circle, on a sphere of Earth's mean radius (haversine formula, exact
    /// for near places too). Up to 0.6 % off the ellipsoid. Altitude does not count. It uses the platform's `sin`, `cos`
    /// and `asin`: on the very edge of a circle two C libraries may differ.
    package func distance(to other: Location) -> Double {
        let radians = Double.pi / 180
        let latitudes = sin((other.latitude - latitude) * radians / 2)
        let longitudes = sin((other.longitude - longitude) * radians / 2)
        let chord =
            latitudes * latitudes
            + cos(latitude * radians) * cos(other.latitude * radians) * longitudes * longitudes
        return 2 * Self.earthRadius * asin(min(1, chord.squareRoot()))
    }
}
