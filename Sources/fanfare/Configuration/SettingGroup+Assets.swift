import S3Assets
import Settings

extension SettingGroup {
    static let assetSettings: [Setting<Configuration>] = [
        Setting(
            "assets", \.assets.place,
            "the place of records' files: a folder, or s3://BUCKET/PREFIX (docs/assets.md); 'assets' in the data folder when absent",
            allowed: assetPlace),
        Setting(
            "assets-endpoint", \.assets.endpoint,
            "the object store of s3://…, as https://HOST:PORT; that of AWS in assets-region when absent"
        ) { url in
            defect { () throws(S3SettingsError) in
                _ = try S3Endpoint(url: url, region: "", isPathStyle: true)
            }
        },
        Setting(
            "assets-region", \.assets.region,
            "the region of the bucket, as the object store names it; us-east-1 when absent"
        ) { region in
            defect { () throws(S3SettingsError) in
                _ = try S3Endpoint(url: "", region: region, isPathStyle: true)
            }
        },
        Setting(
            "assets-path-style", \.assets.isPathStyle,
            "whether addresses have the bucket in the path in place of the host's name, as most stores of one's own need"
        ),
        Setting(
            "assets-credentials-file", \.assets.credentialsFile,
            "a file as ~/.aws/credentials, of which the profile [default] is read, again when its key is refused; AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN when absent"
        ),
        Setting(
            "assets-ca-file", \.assets.caFile,
            "a PEM file with the issuers to trust for the object store, in place of the system's"),
    ]

    /// The error of a place of files, if it has one.
    @Sendable static func assetPlace(_ text: String) -> String? {
        guard S3Location.isNamed(by: text) else { return nil }
        return defect { () throws(S3SettingsError) in _ = try S3Location(text) }
    }

    private static func defect(_ read: () throws(S3SettingsError) -> Void) -> String? {
        do throws(S3SettingsError) {
            try read()
            return nil
        } catch {
            return "cannot be used: \(error)"
        }
    }
}
