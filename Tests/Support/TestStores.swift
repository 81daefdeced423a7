package import RecordStore
import SQLite
import SQLiteRecordStore

/// The stores that tests of services run on: the one place that names their backends.
package enum TestStores {
    /// A record store in a folder; opened again, it is the same. Its writes run their closures twice.
    package static func records(in folder: TemporaryFolder, role: StoreRole = .owner) throws -> any RecordStore {
        try records(at: folder.path("store.sqlite"), role: role)
    }

    /// The record store in a file.
    package static func records(at path: String, role: StoreRole = .owner) throws -> any RecordStore {
        RepeatingStore(try SQLiteRecordStore(SQLiteConfiguration(path: path, isDurable: false), role: role))
    }
}
