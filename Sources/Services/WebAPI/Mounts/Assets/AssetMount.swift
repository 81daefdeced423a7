import CloudJSON
import CloudModel
import HTTPServer
import JSON
import RecordService

/// Takes and gives the bytes of assets (spec section 5.11). The token of an address is the secret, so that no credentials are
/// needed, and pages of any origin may use it.
struct AssetMount: Mount {
    let rates: RateGuard

    var routes: [Route] {
        let prefix = "/assets/1/{container}/{environment}"
        return [
            Route(
                "assets/upload", title: "an address of the upload", path: "\(prefix)/upload/{token}",
                // Some clients upload by `PUT`.
                methods: ["POST", "PUT"], origins: .any(),
                admit: { head, visit throws(CloudError) in try admitUpload(head, visit) },
                work: .later { try await take($0, $1) }),
            Route(
                "assets/download", title: "an address of the download", path: "\(prefix)/download/{token}",
                origins: .any(),
                admit: { head, _ throws(CloudError) in
                    try rates.begin(nil, address: head.client)
                    return .body(maximumBytes: 0)
                },
                work: .now { _, visit in try give(visit) }),
        ]
    }

    /// Sends the body into a file. An address that has ended, or was used, is refused before a byte is read.
    private func admitUpload(_ head: HTTPRequestHead, _ visit: Visit) throws(CloudError) -> HTTPAdmission {
        let (scope, storage, upload) = try upload(visit)
        let sender = Sender.user(scope.scope, upload.user)
        try rates.begin(sender, address: head.client)
        try scope.records.checkUnused(upload)
        return .file(directory: storage.incoming, maximumBytes: Limits.assetBytesMax, account: sender.account)
    }

    private func take(_ request: HTTPRequest, _ visit: Visit) async throws -> HTTPResponse {
        let (scope, _, upload) = try upload(visit)
        rates.take(request.body.count, .bytes, .user(scope.scope, upload.user), request.head.client)
        var file: String?
        if case .file(let path, _) = request.body { file = path }
        let asset = try await scope.records.keepAsset(file, for: upload)
        return JSONResponse.make(["singleFile": AssetJSON.uploaded(asset)])
    }

    private func give(_ visit: Visit) throws(CloudError) -> HTTPResponse {
        let (scope, storage) = try found(visit)
        let checksum = try storage.tokens.download(visit["token"] ?? "", in: scope.scope, at: scope.records.now())
        guard storage.holds(checksum), let path = storage.path(of: checksum) else {
            throw CloudError(.notFound, "the file is not kept any more; read the record again")
        }
        return HTTPResponse(
            status: 200,
            headers: [
                ("Content-Type", "application/octet-stream"), ("X-Content-Type-Options", "nosniff"),
                ("Content-Disposition", "attachment"),
                ("Cache-Control", "private, max-age=\(Limits.assetDownloadSeconds)"),
            ], body: .file(path: path))
    }

    /// Finds where the files of the path's container are. Of an address that was never made nothing more is told.
    private func found(_ visit: Visit) throws(CloudError) -> (scope: APIScope, storage: AssetStorage) {
        guard case .success(let scope) = visit.scope else {
            throw CloudError(.notFound, "this service has no container '\(visit["container"] ?? "")'")
        }
        return (scope, try scope.records.assetStorage())
    }

    private func upload(
        _ visit: Visit
    ) throws(CloudError) -> (scope: APIScope, storage: AssetStorage, upload: AssetUpload) {
        let (scope, storage) = try found(visit)
        let upload = try storage.tokens.upload(
            of: visit["token"] ?? "", in: scope.scope, at: scope.records.now())
        return (scope, storage, upload)
    }
}
