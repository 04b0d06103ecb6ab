export { addBackupCommands, type BackupSubject, type OpenedSubject } from './backup-commands.ts'
export { addServeCommand, sealedBackup, storageForCommands, type CommandData } from './command-data.ts'
export { firstSignInBox } from './first-sign-in.ts'
export { listenAt } from './listen.ts'
export { runService, type RunnableService, type ServiceFrame } from './run-service.ts'
export { readSettingRows, settingsOf, writeSettingRows } from './setting-rows.ts'
export {
  keyCheckFact,
  openSealedStorage,
  presentKeyCheck,
  type SealedStorage,
  type StoragePlace,
} from './sealed-storage.ts'
