import Foundation
import TestSupport

extension RecordServiceRig {
    /// The bytes of the store's files.
    func storedBytes() throws -> [[UInt8]] {
        try ["", "-wal"].map { try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.path("store.sqlite\($0)")))) }
    }
}
