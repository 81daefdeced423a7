import CloudModel
import RecordStore

#if canImport(Glibc)
    import Glibc
#endif

/// A grid over the Earth, a tenth of a degree a cell (CloudKit's index is no finer than 10 km): locations are found by
/// the number of their cell, rows of cells one after the other from south to north.
enum LocationCells {
    private static let cellsPerDegree = 10.0
    /// More than a row has cells.
    private static let rowStride: Int64 = 4096
    /// Rows of one search at most; a larger circle takes whole rows.
    private static let rowsMax: Int64 = 128
    /// Less than a degree of latitude has anywhere.
    private static let metresPerDegree = 110_000.0

    /// The number of the cell that a location lies in.
    static func key(of location: Location) -> IndexKey {
        .integer(row(location.latitude) * rowStride + column(location.longitude))
    }

    /// The cells that a circle touches, and some around.
    static func ranges(around centre: Location, metres: Double) -> [IndexKeyRange] {
        guard metres >= 0 else { return [] }
        let radius = (metres + 1) * 1.01 / metresPerDegree
        let (south, north) = (centre.latitude - radius, centre.latitude + radius)
        let rows = row(max(south, -90))...row(min(north, 90))
        let farthest = max(abs(south), abs(north))
        let width = farthest < 90 ? radius / cosine(degrees: farthest) : 360
        guard width < 180, Int64(rows.count) <= rowsMax else {
            return [range(rows.lowerBound, 0, rows.upperBound, rowStride - 1)]
        }
        let (west, east) = (centre.longitude - width, centre.longitude + width)
        return rows.flatMap { row in
            if west < -180 {
                [range(row, 0, row, column(east)), range(row, column(west + 360), row, rowStride - 1)]
            } else if east > 180 {
                [range(row, 0, row, column(east - 360)), range(row, column(west), row, rowStride - 1)]
            } else {
                [range(row, column(west), row, column(east))]
            }
        }
    }

    private static func range(_ row: Int64, _ column: Int64, _ lastRow: Int64, _ lastColumn: Int64) -> IndexKeyRange {
        IndexKeyRange(
            lower: .init(.integer(row * rowStride + column), isInclusive: true),
            upper: .init(.integer(lastRow * rowStride + lastColumn), isInclusive: true))
    }

    private static func row(_ latitude: Double) -> Int64 { Int64((latitude + 90) * cellsPerDegree) }
    private static func column(_ longitude: Double) -> Int64 { Int64((longitude + 180) * cellsPerDegree) }
    private static func cosine(degrees: Double) -> Double { cos(degrees * .pi / 180) }
}
