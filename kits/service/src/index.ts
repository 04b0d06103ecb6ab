export { backupConfig, backupSettings, type BackupPolicy } from './backups/backup-settings.ts'
export { describeBackups } from './backups/describe-backups.ts'
export type { BackupStore } from './backups/backup-copies.ts'
export { backupRoutes } from './backups/backup-routes.ts'
export { Backups, type BackupControl, type BackupStatus } from './backups/backups.ts'
export { BackupReport } from './backups/schema.ts'
export type { Retention } from './backups/retention.ts'
export type { BackupAttempt } from './backups/backup-state.ts'
export { startSealedBackups } from './backups/sealed-backups.ts'
export { backUpBeforeUpgrade } from './backups/upgrade-backup.ts'
export { newerDatabase } from './newer-database.ts'
export type { BackupSource } from './backups/make-backup.ts'
export { addBackupCommands, type BackupKey, type BackupSubject, type OpenedSubject } from './backup-commands.ts'
export { addServeCommand, sealedBackup, storageForCommands, type CommandData } from './command-data.ts'
export { checkAllowance, hasCsrfToken, isCrossSite, isRead } from './guard-steps.ts'
export { listenAt } from './listen.ts'
export { openClaimed, type Opening } from './open-claimed.ts'
export { readTokenFile } from './read-token-file.ts'
export { firstSignInBox, runService, type RunnableService, type ServiceFrame } from './run-service.ts'
export { databaseConfig, databaseSettings, serviceConfig, serviceSettings } from './service-settings.ts'
export { createReleaseCheck, type ReleaseCheck } from './releases/release-check.ts'
export { ReleaseInfo } from './releases/schema.ts'
export { readSettingRows, settingsOf, writeSettingRows } from './setting-rows.ts'
export {
  keyCheckFact,
  openSealedStorage,
  currentKey,
  type DatabaseDescription,
  messagesTo,
  type SealedStorage,
  type StorageLocation,
} from './sealed-storage.ts'
export { knownServices, portalHeader, serviceHeader, type ServiceName } from './neighbours/known-services.ts'
export { neighbourConfig, neighbourSettings, type ConfiguredService } from './neighbours/neighbour-settings.ts'
export { neighbourRoute } from './neighbours/neighbour-route.ts'
export { createNeighbours, type ListNeighbours } from './neighbours/neighbours.ts'
export { NeighbourList } from './neighbours/schema.ts'
