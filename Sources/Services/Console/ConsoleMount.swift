import CloudModel
import HTTPServer
package import WebAPI

/// The console's pages: the index, its files under the name of their build, and what they start with.
package struct ConsoleMount: Mount {
    /// The place where the files come from.
    package enum Source: Sendable {
        /// The program itself: made once, and never another under the same address.
        case embedded
        /// A folder, read for each request, for those who work on the console.
        case folder(@Sendable () throws -> [ConsoleFile])
    }

    /// The segment of the build in addresses of a folder's files.
    static let folderBuild = "files"

    private let source: Source
    /// Empty for a folder.
    private let embedded: ConsoleFiles
    private let start: ConsoleStart

    package init(_ source: Source, start: ConsoleStart) {
        self.source = source
        self.start = start
        embedded =
            switch source {
            case .embedded: ConsoleFiles(ConsoleFile.embedded)
            case .folder: ConsoleFiles([], build: Self.folderBuild)
            }
    }

    package var area: MountArea? { MountArea(segment: "console", headers: ConsolePolicy.headers) }

    /// The name of the build, in addresses of files.
    package var build: String { embedded.build }

    package var routes: [Route] {
        [
            Route(
                "console", path: "/console",
                work: .now { _, _ in
                    HTTPResponse(status: 308, headers: [("Location", "console/"), ("Cache-Control", "no-store")])
                }),
            route("console/", "the console", "/console/") { _ in ConsoleFiles.index },
            Route(
                "console/start", path: "/console/start.json",
                work: .later { request, _ in
                    try FetchSite.check(request.head)
                    return JSONResponse.make(try start.json(build: build))
                }),
            route("console/file", "a file of the console", "/console/\(build)/{file}") { $0["file"] ?? "" },
            route("console/file", "a file of the console", "/console/\(build)/{folder}/{file}") {
                "\($0["folder"] ?? "")/\($0["file"] ?? "")"
            },
        ]
    }

    private func route(
        _ name: String, _ title: String, _ path: PathPattern, file: @escaping @Sendable (Visit) -> String
    ) -> Route {
        Route(
            name, title: title, path: path,
            work: .later { [self] request, visit in
                let name = file(visit)
                // The index has another address than its name, whose relative addresses would lead elsewhere.
                let isIndex = name == ConsoleFiles.index
                guard isIndex == (visit["file"] == nil),
                    let response = try files().response(
                        name, to: request.head, isImmutable: !isIndex && isEmbedded)
                else { throw CloudError(.notFound, "the console has no such file") }
                return response
            })
    }

    private var isEmbedded: Bool { if case .embedded = source { true } else { false } }

    private func files() throws -> ConsoleFiles {
        switch source {
        case .embedded: embedded
        case .folder(let read): ConsoleFiles(try read(), build: Self.folderBuild)
        }
    }
}
