import CloudJSON
import CloudModel
import HTTPServer
import JSON
import RecordService

extension APICall {
    func resolveShares() async throws -> HTTPResponse {
        try await shares { try await scope.records.resolveShares($0, for: caller) }
    }

    func acceptShares() async throws -> HTTPResponse {
        try await shares { try await scope.records.acceptShares($0, for: caller) }
    }

    private func shares(
        _ work: ([String]) async throws -> [Result<RecordService.ResolvedShare, CloudError>]
    ) async throws -> HTTPResponse {
        guard database == .public else {
            throw CloudError.badRequest("\(endpoint.name) is asked under the public database")
        }
        let guids = try ShareDecoding.shortGUIDs(try body())
        let results = try await work(guids.map(\.value))
        let people = try await scope.records.people(
            of: results.compactMap { try? $0.get().record }, for: caller.user)
        return JSONResponse.written { writer in
            writer.beginObject()
            writer.array("results", zip(guids, results)) { item, writer in
                let (guid, result) = item
                var encoding = RecordEncoding(desiredKeys: guid.keys, seals: scope.records.seals, assetURL: assetURL)
                encoding.viewer = caller.user
                encoding.people = people
                // Not within the record, whose members clients know.
                let page =
                    scope.pageSignIn == nil ? nil : ShareMount.address(of: guid.value, scope, asSeenBy: request.head)
                ShareEncoding.write(
                    result, shortGUID: guid.value, page: page, root: guid.wantsRoot, encoding, to: &writer)
            }
            writer.endObject()
        }
    }
}
