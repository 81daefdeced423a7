import Foundation
import TestSupport
import Testing
import TextForms

@Suite struct TextFormTests {
    /// RFC 4648, section 10, and bytes where the two alphabets differ.
    @Test(arguments: [
        ("", ""), ("66", "Zg=="), ("666f", "Zm8="), ("666f6f", "Zm9v"), ("666f6f62", "Zm9vYg=="),
        ("666f6f6261", "Zm9vYmE="),
        ("666f6f626172", "Zm9vYmFy"), ("fbff", "+/8="), ("00", "AA=="), ("ffffff", "////"), ("fb", "+w=="),
    ])
    func `base64 of known bytes`(hexadecimal: String, text: String) throws {
        let bytes = try #require(Hexadecimal.decode(hexadecimal))
        let urlText = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        #expect(Base64.standard.encode(bytes) == text)
        #expect(Base64.standard.decode(text) == bytes)
        #expect(Base64.url.encode(bytes) == urlText)
        #expect(Base64.url.decode(urlText) == bytes)
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "Zm8", "Zm8==", "Zm9v=", "Zm9v====", "=", "==", "====", "Z", "Zm9vZ", "Zh==", "Zm9=",
        "Zm+=", " Zg==", "Zg== ",
        "Zg==\n", "Z\ng==", "Zm-v", "Zm_v", "Z=g=", "Zm9v=Zm9v", "Zg==Zg==", "Zm9vÄ", "\0\0\0\0", "Ｚｇ==",
    ])
    func `no other base64 is read`(text: String) {
        #expect(Base64.standard.decode(text) == nil)
    }

    @Test(arguments: [
        "Zg==", "Zm8=", "Z", "Zm9vZ", "Zh", "Zm9", "Zm+v", "Zm/v", "Zm v", "Zm9v\n", "Zm9vä", "-", "_9v-_",
    ])
    func `no other base64url is read`(text: String) {
        #expect(Base64.url.decode(text) == nil)
    }

    /// Foundation as the oracle, for every length up to three groups and more.
    @Test(arguments: 0..<100)
    func `base64 is Foundation's, and is read again`(count: Int) {
        var random = SeededGenerator(seed: TestSeeds.first &+ UInt64(count))
        let bytes = (0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
        #expect(Base64.standard.encode(bytes) == Data(bytes).base64EncodedString())
        #expect(Base64.standard.decode(Base64.standard.encode(bytes)) == bytes)
        #expect(Base64.url.decode(Base64.url.encode(bytes)) == bytes)
        #expect(Hexadecimal.decode(Hexadecimal.encode(bytes)) == bytes)
    }

    /// Of all two-digit texts exactly one for each byte is read.
    @Test func `every byte has one text`() {
        let characters = (0..<128).map { Character(Unicode.Scalar(UInt8($0))) }
        var read: [[UInt8]: Int] = [:]
        for first in characters {
            for second in characters { Base64.url.decode("\(first)\(second)").map { read[$0, default: 0] += 1 } }
        }
        #expect(read.count == 256)
        #expect(read.values.allSatisfy { $0 == 1 })
    }

    @Test func `hexadecimal is written small and read in either case`() {
        #expect(Hexadecimal.encode([0, 1, 0xab, 0xff]) == "0001abff")
        #expect(Hexadecimal.decode("0001aBfF") == [0, 1, 0xab, 0xff])
        for text in ["0", "0g", "g0", " 00", "0x00", "00 ", "é"] { #expect(Hexadecimal.decode(text) == nil) }
    }
}
