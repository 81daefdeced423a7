import CloudModel
import Foundation

extension Date {
    init(_ time: Timestamp) { self.init(timeIntervalSince1970: Double(time.milliseconds) / 1000) }
}

extension Timestamp {
    init(_ date: Date) { self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded())) }
}
