export { addBackupCommands, type BackupSubject, type OpenedSubject } from './backup-commands.ts'
export { keyCheckFact, openSealedStorage, type SealedStorage, type StoragePlace } from './sealed-storage.ts'
