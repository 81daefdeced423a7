// swift-tools-version: 6.2
// The example as an app's own package has it: it depends on Fanfare's package, here by path.
import PackageDescription

let package = Package(
    name: "todo",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "fanfare", path: "../..")],
    targets: [
        .executableTarget(
            name: "todo", dependencies: [.product(name: "FanfareCloudKit", package: "fanfare")], path: "Sources/todo",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableUpcomingFeature("InferIsolatedConformances"),
            ])
    ]
)
