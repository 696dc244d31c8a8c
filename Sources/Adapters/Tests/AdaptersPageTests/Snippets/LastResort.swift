import ErrorRouting
import Logging

func logWhatNobodyHandles(to logger: Logger) {
    LastResort.setForProcess(LastResort { line in logger.log(level: .error, "\(line)") })
}
