import CloudModel

#if canImport(Glibc)
    import Glibc
#endif

/// The cubes of space that a circle on the unit sphere touches. In space there are no poles and no date line, and the
/// distance through it is the haversine's, whatever the degrees.
struct SphereCubes {
    /// The side of the cubes is 2 to the power of minus this.
    let level: Int
    /// Each once: eight at most, for circles that are smaller than a continent.
    let all: [(UInt32, UInt32, UInt32)]

    /// Nil for circles that are larger than a quarter of the Earth's girth, or no circles.
    init?(around place: Location, metres: Double) {
        guard metres >= 0, metres < Location.earthRadius * .pi / 4,
            let point = Self.point(place.latitude, place.longitude)
        else { return nil }
        // Wider by far more than what the arithmetic may lose.
        let reach = 2 * sin(metres / Location.earthRadius / 2) * (1 + 1e-9) + 1e-8
        var level = 0
        while level < 24, 2 * reach < exp2(-Double(level + 1)) { level += 1 }
        func cells(_ coordinate: Double) -> [UInt32] {
            let low = Self.cell(coordinate - reach, level)
            let high = Self.cell(coordinate + reach, level)
            return Array(low...high)
        }
        var all: [(UInt32, UInt32, UInt32)] = []
        for x in cells(point.x) {
            for y in cells(point.y) { for z in cells(point.z) { all.append((x, y, z)) } }
        }
        self.level = level
        self.all = all
    }

    /// The point of a place in space; nil for coordinates that are not finite.
    static func point(_ latitude: Double, _ longitude: Double) -> (x: Double, y: Double, z: Double)? {
        guard latitude.isFinite, longitude.isFinite else { return nil }
        let radians = Double.pi / 180
        let (up, around) = (latitude * radians, longitude * radians)
        return (cos(up) * cos(around), cos(up) * sin(around), sin(up))
    }

    static func cell(_ coordinate: Double, _ level: Int) -> UInt32 {
        UInt32((min(max(coordinate, -2), 2) + 2) * exp2(Double(level)))
    }
}
