#!/usr/bin/env python3
"""Makes a package of public code bases over CloudKit, with their import lines changed: scripts/apps calls it.

    apps_gallery.py CODE PACKAGE LIBRARY [NAME...]

CODE has a folder `owner+name` or `owner/name` for each, a clone or its git directory. PACKAGE is written; LIBRARY is the
path of this project. Prints the names of those that are there, with the commits and dates that were taken.
"""
import re
import subprocess
import sys
from pathlib import Path

# By name: the repository; the commit; the targets as (name, paths, files left out, other targets); the tests likewise.
gallery = {
    "SyncEngine": ("apple/sample-cloudkit-sync-engine", "63d9d16",
                   [], [("SyncEngineTests", "SyncEngine|Tests", ["ContactsList.swift", "SyncEngineApp.swift"], [])]),
    "Queries": ("apple/sample-cloudkit-queries", "592b76c",
                [("Queries", "Queries", ["ContentView.swift", "QueriesApp.swift"], [])],
                [("QueriesTests", "Tests", [], ["Queries"])]),
    "Encryption": ("apple/sample-cloudkit-encryption", "72e6a80",
                   [("Encryption", "Encryption", ["Views", "EncryptionApp.swift"], [])],
                   [("EncryptionTests", "EncryptionTests", [], ["Encryption"])]),
    "PrivateDatabase": ("apple/sample-cloudkit-privatedb", "7702e7b",
                        [("PrivateDatabase", "PrivateDatabase", ["ContentView.swift", "App.swift"], [])],
                        [("PrivateDatabaseTests", "Tests", [], ["PrivateDatabase"])]),
    "Sharing": ("apple/sample-cloudkit-sharing", "01da43a",
                [("Sharing", "Sharing", ["Views", "App/AppDelegate.swift", "App/SceneDelegate.swift"], [])],
                [("SharingTests", "SharingTests", [], ["Sharing"])]),
    "ZoneSharing": ("apple/sample-cloudkit-zonesharing", "d418c68",
                    [("ZoneSharing", "ZoneSharing", ["Views", "App/AppDelegate.swift", "App/SceneDelegate.swift"], [])],
                    [("ZoneSharingTests", "ZoneSharingTests", [], ["ZoneSharing"])]),
    # Its tests ask for files of their package.
    "CloudKitCodable": ("insidegui/CloudKitCodable", "ab4ceab", [],
                        [("CloudKitCodable", "Sources/CloudKitCodable", [], [])]),
    "Cirrus": ("jayhickey/Cirrus", "9f6138c",
               [("CirrusCodable", "Sources/CloudKitCodable", [], []),
                ("CKRecordCoder", "Sources/CKRecordCoder", [], ["CirrusCodable"])],
               [("CKRecordCoderTests", "Tests/CKRecordCoderTests", [], ["CKRecordCoder"])]),
    # The rest needs Combine: this is its switch over all codes of errors.
    "CloudSyncSession": ("ryanashcraft/CloudSyncSession", "433678e", [],
                         [("CloudSyncSessionErrors", "Sources/CloudSyncSession/Extensions", [], [])]),
}

# What Linux lacks of Apple's other frameworks, as far as the code bases ask for it.
stand_ins = '''@_exported import Foundation

public struct Logger: Sendable {
    public init(subsystem: String = "", category: String = "") {}
    public init(label: String) {}
    public func log(_ message: @autoclosure () -> String) {}
    public func debug(_ message: @autoclosure () -> String) {}
    public func info(_ message: @autoclosure () -> String) {}
    public func notice(_ message: @autoclosure () -> String) {}
    public func warning(_ message: @autoclosure () -> String) {}
    public func error(_ message: @autoclosure () -> String) {}
    public func critical(_ message: @autoclosure () -> String) {}
    public func fault(_ message: @autoclosure () -> String) {}
}

public enum OSLogType: Sendable { case `default`, info, debug, error, fault }
public struct OSLog: Sendable {
    public static let `default` = OSLog(subsystem: "", category: "")
    public init(subsystem: String, category: String) {}
}
public func os_log(_ message: String, log: OSLog = .default, type: OSLogType = .default, _ arguments: Any...) {}

extension UserDefaults {
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
}

public struct UTType: Hashable, Sendable {
    public static let data = UTType("public.data")!
    public let identifier: String
    public var preferredFilenameExtension: String? { identifier.split(separator: ".").last.map { String($0) } }
    public init?(_ identifier: String) { self.identifier = identifier }
    public static let jpeg = UTType("public.jpeg")!
    public static let png = UTType("public.png")!
    public static let json = UTType("public.json")!
    public static let propertyList = UTType("public.propertyList")!
    public static let xmlPropertyList = UTType("public.xmlPropertyList")!
    public static let binaryPropertyList = UTType("public.binaryPropertyList")!
    public func conforms(to type: UTType) -> Bool { self == type }
    public var isDynamic: Bool { false }
}

extension URLResourceKey { public static let contentTypeKey = URLResourceKey(rawValue: "contentType") }
extension URLResourceValues { public var contentType: UTType? { nil } }

public protocol ObservableObject: AnyObject {}

@propertyWrapper public struct Published<Value> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public var projectedValue: Published<Value> { self }
}
extension Published: Sendable where Value: Sendable {}
'''


# Of XCTest.
test_stand_ins = """import XCTest

extension XCTestCase {
    var executionTimeAllowance: TimeInterval {
        get { 0 }
        set {}
    }
}
"""


def git(folder, *arguments):
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True)


def repository(code, name):
    """The folder of a repository's clone, or its git directory; None if it is not there."""
    owner, _, short = name.partition("/")
    for folder in (code / f"{owner}+{short}" / "repo", code / f"{owner}+{short}", code / owner / short, code / short):
        if folder.is_dir() and git(folder, "rev-parse", "--git-dir").returncode == 0:
            return folder
    return None


def changed(text):
    """The text with other import lines."""
    text = re.sub(r"^(@_exported |@preconcurrency )?import CloudKit$", r"\1import FanfareCloudKit", text, flags=re.M)
    text = re.sub(r"^(@_exported )?import (os\.log|os|OSLog|Combine|SwiftUI|Logging|UniformTypeIdentifiers)$", "import AppStandIns", text,
                  flags=re.M)
    text = re.sub(r"^(@testable )?import CloudKitCodable$", r"\1import CIRRUS_OR_CODABLE", text, flags=re.M)
    return text


def main():
    code, package, library = map(Path, sys.argv[1:4])
    wanted = sys.argv[4:] or list(gallery)
    lines = ['    .target(name: "AppStandIns", path: "AppStandIns")']
    (package / "AppStandIns").mkdir(parents=True, exist_ok=True)
    (package / "AppStandIns/StandIns.swift").write_text(stand_ins)
    for name in wanted:
        source, commit, targets, tests = gallery[name]
        folder = repository(code, source)
        if folder is None or git(folder, "cat-file", "-e", commit).returncode != 0:
            print(f"{name}\t{source}\tabsent", flush=True)
            continue
        date = git(folder, "log", "-1", "--format=%as", commit).stdout.strip()
        print(f"{name}\t{source}\t{commit}\t{date}\t{','.join(test[0] for test in tests)}", flush=True)
        for kind, some in (("target", targets), ("testTarget", tests)):
            for target, path, left_out, others in some:
                write(folder, commit, package / target, path, left_out, name)
                dependencies = ['"AppStandIns"', '.product(name: "FanfareCloudKit", package: "fanfare")']
                dependencies += [f'"{other}"' for other in others]
                if kind == "testTarget":
                    (package / target / "StandIns.swift").write_text(test_stand_ins)
                lines.append(f'    .{kind}(name: "{target}", dependencies: [{", ".join(dependencies)}], path: "{target}", '
                             'swiftSettings: [.swiftLanguageMode(.v5)])')
    (package / "Package.swift").write_text(
        "// swift-tools-version: 6.2\nimport PackageDescription\n\nlet package = Package(name: \"apps\", "
        f'dependencies: [.package(name: "fanfare", path: "{library}")], targets: [\n' + ",\n".join(lines) + "\n])\n")


def write(folder, commit, target, path, left_out, name):
    """Writes the Swift files of a target, with other import lines."""
    paths = path.split("|")
    for file in git(folder, "ls-tree", "-r", "--name-only", commit, *paths).stdout.splitlines():
        path = next(one for one in paths if file.startswith(f"{one}/"))
        short = file[len(path) + 1:]
        if not file.endswith(".swift") or any(short == one or short.startswith(f"{one}/") for one in left_out):
            continue
        text = changed(git(folder, "show", f"{commit}:{file}").stdout)
        text = text.replace("CIRRUS_OR_CODABLE", "CirrusCodable" if name == "Cirrus" else "CloudKitCodable")
        place = target / short
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


main()
