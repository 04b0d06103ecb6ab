export { createFileAtomic, flushToDisk, writeFileAtomic } from './atomic-file.ts'
export { box } from './box.ts'
export { checkDirectory, checkFile, checkNewFile, checkProgram } from './check-paths.ts'
export { createManualClock, toIsoString, systemClock, type Clock } from './clock.ts'
export { claimDataDirectory, isEmptyDirectory, withDataDirectory, type DataDirectoryClaim } from './data-claim.ts'
export {
  DataInUse,
  lockDataDirectory,
  makePrivateFile,
  openDataDirectory,
  type DataDirectoryLock,
} from './data-directory.ts'
export type { DoctorCheck } from './doctor.ts'
export { IsoTime, parseIsoTime, type IsoTimeForms } from './iso-time.ts'
export { createKeyedQueue, QueueFull, type KeyedQueue } from './keyed-queue.ts'
export { closeOnSignal, shutdownLimit } from './lifecycle.ts'
export { createLog, type Log } from './log.ts'
export { informOnTerminal, OperatorError, warnOnTerminal } from './operator-error.ts'
export { parseJson } from './parse-json.ts'
export { SettledClock } from './settled-clock.ts'
export {
  absolutePath,
  commaList,
  filePath,
  hasCredentials,
  logLevel,
  parseSettings,
  portNumber,
  settingKind,
  webAddress,
  wholeNumber,
  type Environment,
  type SettingKind,
} from './settings.ts'
export { withTemporaryFolder } from './temporary-folder.ts'
export { createFastTimers, createSkippingTimers, systemTimers, type Timers } from './timers.ts'
