export { addBackupCommands, type BackupSubject, type OpenedSubject } from './backup-commands.ts'
export { readSettingRows, settingsOf, writeSettingRows } from './setting-rows.ts'
export {
  keyCheckFact,
  openSealedStorage,
  presentKeyCheck,
  type SealedStorage,
  type StoragePlace,
} from './sealed-storage.ts'
