import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction {
    func admittedAPITokens() throws -> [(digest: [UInt8], origins: [String])] {
        try connection.query("SELECT digest FROM api_tokens") { $0.blob(0) }
            .map { (digest: $0, origins: try origins(ofAPIToken: $0)) }
    }

    func admittedServerKeys() throws -> [(id: String, user: UserRecordName)] {
        try connection.query("SELECT id, user FROM server_keys") {
            (id: $0.text(0), user: UserRecordName(trusted: $0.text(1)))
        }
    }
}
