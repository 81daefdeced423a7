import CloudJSON
import CloudModel
import HTTPServer
import JSON
import RecordService

/// Takes and gives the bytes of assets (docs/cloudkit.md#assets). The token of an address is the secret, so that no
/// credentials are needed, and pages of any origin may use it.
struct AssetMount: Mount {
    let rates: RateGuard

    var routes: [Route] {
        let prefix = "/assets/1/{container}/{environment}"
        return [
            Route(
                "assets/upload", title: "an address of the upload", path: "\(prefix)/upload/{token}",
                // Some clients upload by `PUT`.
                methods: ["POST", "PUT"], origins: .any(),
                admit: { head, visit throws(CloudError) in try admitUpload(head, &visit) },
                work: .later { try await take($0, $1) }),
            Route(
                "assets/download", title: "an address of the download", path: "\(prefix)/download/{token}",
                origins: .any(exposing: ["Accept-Ranges", "Content-Disposition", "Content-Range", "ETag"]),
                admit: { _, visit throws(CloudError) in
                    _ = try download(visit)
                    visit.note(isGood: true)
                    return .body(maximumBytes: 0)
                },
                work: .later { try await give($0.head, $1) }),
        ]
    }

    /// Sends the body into a file, where the asset store takes files: of a form its file alone, as many clients upload
    /// so. An address that has ended, or was used, is refused before a byte is read.
    private func admitUpload(_ head: HTTPRequestHead, _ visit: inout Visit) throws(CloudError) -> HTTPAdmission {
        let (scope, storage, upload) = try upload(visit)
        let sender = Sender.user(scope.scope, upload.user)
        visit.note(sender, isGood: true)
        try rates.begin(sender, nil)
        try scope.records.checkUnused(upload)
        let form: FormPart?
        do {
            form = try FormPart(contentType: head.headers["Content-Type"])
        } catch {
            throw .badRequest(error.message)
        }
        return AssetBodies.admission(
            storage, maximumBytes: Limits.assetBytesMax, account: sender.account, form: form)
    }

    private func take(_ request: HTTPRequest, _ visit: Visit) async throws -> HTTPResponse {
        let (scope, _, upload) = try upload(visit)
        let asset = try await scope.records.keepAsset(AssetBodies.body(of: request), for: upload)
        return JSONResponse.make(["singleFile": AssetJSON.uploaded(asset)])
    }

    /// Gives a file or a part of it: players jump about in films, and a download that broke off goes on where it was.
    private func give(_ head: HTTPRequestHead, _ visit: Visit) async throws -> HTTPResponse {
        let (storage, asset) = try download(visit)
        let wish = AssetRange(head, of: asset)
        let cached = [
            ("ETag", AssetRange.entityTag(of: asset)),
            ("Cache-Control", "private, max-age=\(Limits.assetDownloadSeconds)"),
        ]
        switch wish {
        case .none:
            // The head of what 200 would send, without a look at the file.
            return HTTPResponse(
                status: 304, headers: cached, body: .stream(HTTPResponseStream(length: Int(asset.size))))
        case .another:
            return ErrorEncoding.response(
                .badRequest(
                    "the file is not the one that If-Match names: its ETag is \(AssetRange.entityTag(of: asset))"),
                status: 412, id: visit.id)
        case .beyond:
            var response = ErrorEncoding.response(
                .badRequest("the file has \(asset.size) bytes, and none of the range that was asked for"), status: 416,
                id: visit.id)
            response.headers.append(("Content-Range", "bytes */\(asset.size)"))
            return response
        case .whole, .part: break
        }
        guard let download = try await storage.download(of: asset) else {
            throw CloudError(.notFound, "the file is not kept any more; read the record again")
        }
        var response = HTTPResponse(
            status: 200,
            headers: cached + [
                ("Content-Type", "application/octet-stream"), ("X-Content-Type-Options", "nosniff"),
                ("Accept-Ranges", "bytes"),
                ("Content-Disposition", FileName.disposition(head.queryValue("filename"))),
            ])
        var part = (offset: Int64(0), count: asset.size)
        if case .part(let offset, let count) = wish {
            part = (offset, count)
            response.status = 206
            response.headers.append(("Content-Range", "bytes \(offset)-\(offset + count - 1)/\(asset.size)"))
        }
        response.body = AssetBodies.response(download, offset: part.offset, count: part.count)
        return response
    }

    /// Finds the files of the path's container. A URL that was never made reveals nothing else.
    private func found(_ visit: Visit) throws(CloudError) -> (scope: APIScope, storage: AssetStorage) {
        guard case .success(let scope) = visit.scope else {
            throw CloudError(.notFound, "this service has no container '\(visit["container"] ?? "")'")
        }
        return (scope, try scope.records.assetStorage())
    }

    private func download(_ visit: Visit) throws(CloudError) -> (storage: AssetStorage, asset: Asset) {
        let (scope, storage) = try found(visit)
        return (storage, try storage.tokens.download(visit["token"] ?? "", in: scope.scope, at: scope.records.now()))
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
