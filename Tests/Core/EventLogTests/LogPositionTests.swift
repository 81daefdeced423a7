import EventLog
import Testing

@Suite struct LogPositionTests {
    let source = SourceID(origin: "deliveries", incarnation: 7, partition: 1)

    private func advance(_ position: inout LogPosition, to next: SourcePosition) -> Bool { position.advance(to: next) }

    @Test func positionsThatDoNotAdvanceAreRepeats() {
        var position = LogPosition(offset: 0)
        #expect(advance(&position, to: SourcePosition(source: source, offset: 5, index: 0)) == true)
        #expect(advance(&position, to: SourcePosition(source: source, offset: 5, index: 0)) == false)
        #expect(advance(&position, to: SourcePosition(source: source, offset: 4, index: 9)) == false)
        #expect(advance(&position, to: SourcePosition(source: source, offset: 5, index: 1)) == true)
        #expect(advance(&position, to: SourcePosition(source: source, offset: 6, index: 0)) == true)
    }

    @Test func sourcesAndIncarnationsDoNotDisturbEachOther() {
        var position = LogPosition(offset: 0)
        #expect(advance(&position, to: SourcePosition(source: source, offset: 50)) == true)
        let other = SourceID(origin: "deliveries", incarnation: 8, partition: 1)
        #expect(advance(&position, to: SourcePosition(source: other, offset: 1)) == true)
        #expect(advance(&position, to: SourcePosition(source: source, offset: 50)) == false)
    }

    @Test func metadataBringsThePairBackAndOnlyForItsOffset() {
        var position = LogPosition(offset: 1 << 40)
        _ = position.advance(to: SourcePosition(source: source, offset: .max, index: 3))
        _ = position.advance(
            to: SourcePosition(source: SourceID(origin: "store", incarnation: .max, partition: 0), offset: 12))
        position.incarnation = .max - 1
        #expect(LogPosition(metadata: position.metadata, offset: 1 << 40) == position)
        #expect(LogPosition(metadata: position.metadata, offset: 1) == nil)
        #expect(LogPosition(metadata: "", offset: 1) == nil)
        #expect(LogPosition(metadata: "zz", offset: 1) == nil)
    }

    @Test("the latest incarnations of a store that is often recreated are remembered, and the text stays short")
    func incarnationsAreForgotten() throws {
        var position = LogPosition(offset: 7)
        func name(_ incarnation: UInt64, _ offset: Int64) -> SourcePosition {
            SourcePosition(source: SourceID(origin: "store", incarnation: incarnation, partition: 0), offset: offset)
        }
        for incarnation in (1...200).reversed() {
            let isNew = position.advance(to: name(UInt64(incarnation), 5))
            let isNewAgain = position.advance(to: name(UInt64(incarnation), 5))
            #expect(isNew && !isNewAgain)
            position = try #require(LogPosition(metadata: position.metadata, offset: 7))
        }
        #expect(position.metadata.utf8.count < 1000)
        #expect(position.seen.count == LogPosition.incarnationsMax)
        let (ofRemembered, ofForgotten) = (position.advance(to: name(8, 5)), position.advance(to: name(9, 5)))
        #expect(!ofRemembered && ofForgotten)
    }
}
