import CWebPushLoop
import Cryptography
import Foundation

// Encryption of Web Push messages against a plain loop in C over OpenSSL, in turns, on one thread; one line of JSON a
// size. Arguments: rounds, messages in a round; and with the URL and the CA file of a server, encryption and sending.
let arguments = CommandLine.arguments.dropFirst()
let rounds = arguments.first.flatMap { Int($0) } ?? 5
let messages = arguments.dropFirst().first.flatMap { Int($0) } ?? 5_000

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// The processor time of this thread: the figures are for one core, whatever else the machine does.
func processorSeconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// The seconds of one round. Each message has the costs of an address that was read just now.
func seconds(_ point: [UInt8], _ secret: [UInt8], _ content: [UInt8]) throws -> Double {
    let start = processorSeconds()
    for _ in 0..<messages {
        guard try WebPushEncryption(receiver: point, secret: secret).encrypt(content).count == content.count + 103
        else {
            fatalError("a message has another size")
        }
    }
    return processorSeconds() - start
}

for bytes in [300, 3_900] {
    let point = SigningKey.generate().publicPoint
    let secret = SecureRandom.bytes(count: WebPushEncryption.secretBytes)
    let content = SecureRandom.bytes(count: bytes)
    var (inC, inSwift): ([Double], [Double]) = ([], [])
    for round in 0..<rounds {
        // The order alternates, as the machine may be busier later.
        if round % 2 == 0 { inC.append(cwebpush_encrypt(point, secret, content, bytes, messages)) }
        inSwift.append(try seconds(point, secret, content))
        if round % 2 == 1 { inC.append(cwebpush_encrypt(point, secret, content, bytes, messages)) }
    }
    guard inC.allSatisfy({ $0 > 0 }) else { fatalError("the loop in C failed") }
    let (cRate, swiftRate) = (Double(messages) / median(inC), Double(messages) / median(inSwift))
    print(
        "{\"work\":\"web-push-encryption\",\"bytes\":\(bytes),\"messages\":\(messages),\"rounds\":\(rounds),"
            + "\"c_messages_per_second\":\(Int(cRate)),\"swift_messages_per_second\":\(Int(swiftRate)),"
            + "\"swift_to_c\":\(String(format: "%.2f", swiftRate / cRate)),"
            + "\"c_microseconds\":\(String(format: "%.1f", 1e6 / cRate)),"
            + "\"swift_microseconds\":\(String(format: "%.1f", 1e6 / swiftRate))}")
}

if arguments.count == 4 {
    let (url, caFile) = (arguments.dropFirst(2).first!, arguments.last!)
    try await SendingRounds(url: url, caFile: caFile, count: messages, window: 100).measure(rounds: rounds)
}
