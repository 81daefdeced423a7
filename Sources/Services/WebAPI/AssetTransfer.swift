import CloudJSON
import CloudModel
import HTTPServer
import JSON
import RecordService

/// Takes and gives the bytes of assets (spec section 5.11).
struct AssetTransfer: Sendable {
    private let route: AssetRoute
    private let scopes: [ContainerEnvironment: APIScope]
    private let rates: RateGuard

    init(_ route: AssetRoute, _ scopes: [ContainerEnvironment: APIScope], _ rates: RateGuard) {
        self.route = route
        self.scopes = scopes
        self.rates = rates
    }

    /// Where the body goes: into a file. An address that has ended, or was used, is refused before a byte is read.
    func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
        if CrossOrigin.isPreflight(head.method, head.headers) { return .body(maximumBytes: 0) }
        let methods = route.direction.methods
        guard methods.contains(head.method) else {
            let allowed = methods.joined(separator: ", ")
            let error = CloudError.badRequest(
                "an address of the \(route.direction) answers \(allowed), not \(head.method)")
            var response = Self.open(ErrorEncoding.response(error, status: 405))
            response.headers.append(("Allow", allowed))
            return .refuse(response)
        }
        do throws(CloudError) {
            guard route.direction == .upload else {
                try rates.begin(nil, address: head.client)
                return .body(maximumBytes: 0)
            }
            let (scope, storage, upload) = try upload()
            let sender = Sender.user(scope.scope, upload.user)
            try rates.begin(sender, address: head.client)
            try scope.records.checkUnused(upload)
            return .file(
                directory: storage.incoming, maximumBytes: Limits.assetBytesMax, account: sender.account)
        } catch {
            return .refuse(Self.open(ErrorEncoding.response(error)))
        }
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        if request.method == "OPTIONS" {
            let asked = request.headers["Access-Control-Request-Headers"] ?? ""
            let headers = CrossOrigin.permissions(route.direction.methods, headers: asked)
            return .now(Self.open(HTTPResponse(status: 204, headers: headers)))
        }
        let id = RequestID.make()
        switch route.direction {
        case .upload:
            return .later {
                do {
                    return Self.open(try await take(request, id))
                } catch {
                    return Self.open(CloudAPI.failure(error, id, "assets/upload"))
                }
            }
        case .download:
            do {
                return .now(Self.open(try give(id)))
            } catch {
                return .now(Self.open(ErrorEncoding.response(error, id: id)))
            }
        }
    }

    private func take(_ request: HTTPRequest, _ id: String) async throws -> HTTPResponse {
        let (scope, _, upload) = try upload()
        rates.take(request.body.count, .bytes, .user(scope.scope, upload.user), request.head.client)
        var file: String?
        if case .file(let path, _) = request.body { file = path }
        let asset = try await scope.records.keepAsset(file, for: upload)
        return JSONResponse.make(["singleFile": AssetJSON.uploaded(asset)], headers: [(RequestID.header, id)])
    }

    private func give(_ id: String) throws(CloudError) -> HTTPResponse {
        let (scope, storage) = try found()
        let checksum = try storage.tokens.download(route.token, in: scope.scope, at: scope.records.now())
        guard storage.holds(checksum), let path = storage.path(of: checksum) else {
            throw CloudError(.notFound, "the file is not kept any more; read the record again")
        }
        return HTTPResponse(
            status: 200,
            headers: [
                ("Content-Type", "application/octet-stream"), ("X-Content-Type-Options", "nosniff"),
                ("Content-Disposition", "attachment"),
                ("Cache-Control", "private, max-age=\(Limits.assetDownloadSeconds)"),
                (RequestID.header, id),
            ], body: .file(path: path))
    }

    private func found() throws(CloudError) -> (scope: APIScope, storage: AssetStorage) {
        guard let environment = CloudEnvironment(rawValue: route.environment),
            let scope = scopes[
                ContainerEnvironment(
                    container: ContainerIdentifier(trusted: route.container), environment: environment)]
        else { throw CloudError(.notFound, "this service has no container '\(route.container)'") }
        return (scope, try scope.records.assetStorage())
    }

    private func upload() throws(CloudError) -> (scope: APIScope, storage: AssetStorage, upload: AssetUpload) {
        let (scope, storage) = try found()
        let upload = try storage.tokens.upload(of: route.token, in: scope.scope, at: scope.records.now())
        return (scope, storage, upload)
    }

    /// Web pages of any origin may use an address, as whoever has it may.
    private static func open(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers.append(("Access-Control-Allow-Origin", "*"))
        return response
    }
}
