import S3Assets
import Settings

/// The settings of the place of records' files.
struct AssetConfiguration: Sendable {
    /// A folder, or `s3://BUCKET/PREFIX`; empty for `assets` in the data folder.
    var place = ""
    var endpoint = ""
    var region = ""
    var isPathStyle = false
    var credentialsFile = ""
    var caFile = ""

    /// A bucket, `s3://BUCKET/PREFIX`, with the server and the key of these settings.
    /// - Throws: `SettingsError`.
    func bucket(_ text: String, environment: [String: String]) throws(SettingsError) -> S3Bucket {
        do throws(S3SettingsError) {
            return try S3Bucket(
                S3Location(text), at: S3Endpoint(url: endpoint, region: region, isPathStyle: isPathStyle),
                credentials: S3Credentials.find(file: credentialsFile, environment: environment),
                caFile: caFile.isEmpty ? nil : caFile)
        } catch {
            throw SettingsError("\(error)")
        }
    }
}
