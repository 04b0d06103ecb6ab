export { accentFrom, contrast, type Shades } from './accent.ts'
export { answer, createApiClient } from './api-client.ts'
export { ApiError, describeError, type FieldProblem, readApiError, unreachable } from './api-error.ts'
export { BackupSection } from './backup-section.tsx'
export { CopyButton } from './copy-button.tsx'
export { useConnection, useEventStream } from './event-stream.ts'
export { type EventEffects, followEvents } from './follow-events.ts'
export { applyFieldProblems } from './form-problems.ts'
export { formatBytes, formatCount, formatDuration, formatRate, formatRelative } from './format.ts'
export { formatDay, formatTime, formatTimestamp, withMilliseconds, withSeconds } from './format-time.ts'
export { hearthServices } from './hearth-services.ts'
export { IconAction } from './icon-action.tsx'
export { type HearthAppOptions, startHearthApp } from './hearth-app.tsx'
export { page, type Page, type Role, useDocumentTitle } from './page.ts'
export { EmptyState, ErrorState, Fact, LoadingLines, PageHeader, QueryState, Section, Tile } from './page-parts.tsx'
export { PasswordDialog } from './accounts/password-dialog.tsx'
export {
  describeCeremony,
  passkeyObstacle,
  type PasskeySignInApi,
  signInWithPasskey,
} from './accounts/passkey-ceremony.ts'
export type { PasskeyAdministration } from './accounts/passkey-dialogs.tsx'
export { PasskeyList } from './accounts/passkey-list.tsx'
export { PasskeySignInScreen } from './accounts/passkey-sign-in-screen.tsx'
export { RecoverySection } from './accounts/recovery-codes.tsx'
export { createSignInMethodsApi, type SignInMethodsApi } from './accounts/sign-in-methods-api.ts'
export { SignInMethods } from './accounts/sign-in-methods.tsx'
export { signInScreenOf } from './accounts/sign-in-screen-of.tsx'
export { SessionList } from './accounts/session-list.tsx'
export { TokenList } from './accounts/token-list.tsx'
export type { TokenAdministration, TokenValues } from './accounts/token-dialogs.tsx'
export { EditUser } from './accounts/user-dialogs.tsx'
export type { UserAdministration } from './accounts/users.ts'
export { UsersPage } from './accounts/users-page.tsx'
export type { NotificationApi } from './notification-settings/notification-api.ts'
export { NotificationsLink, NotificationsPage } from './notification-settings/notifications-page.tsx'
export { SecurityLogPage } from './security-log/security-log-page.tsx'
export type { SecurityLogQuery } from './security-log/security-log-query.ts'
export { saveFile } from './save-file.ts'
export { changedValues } from './changed-values.ts'
export { SaveBar } from './save-bar.tsx'
export { SettingsForm, type SettingsSection } from './settings-form.tsx'
export { type TopEntry, TopList } from './top-list.tsx'
export { ChartStrip } from './time-chart/chart-strip.tsx'
export { axisTicks, type ChartSeries, TimeChart } from './time-chart/time-chart.tsx'
export type { Refresher } from './refresher.ts'
export { RelativeTime, useNow } from './relative-time.tsx'
export type { Service } from './service.ts'
export type { Neighbour } from './service-switcher.tsx'
export {
  createSessionStore,
  type ServerSession,
  type SessionStore,
  type SessionApi,
  type SignInForm,
  useSession,
  useSessionStore,
} from './session-store.ts'
export { Gate, PasswordSignIn, Problem, SignInHead } from './sign-in.tsx'
export { type SignInFailure, useSignInFailure } from './sign-in-failure.ts'
export { StatusBadge, type Tone } from './status-badge.tsx'
export { notifyDone, notifyProblem } from './notifications.tsx'
export { type Action, useAction } from './use-action.ts'
export { ConfirmDelete } from './confirm-delete.tsx'
export { type Column, DataTable, type TableAnswer, tableAnswer } from './data-table.tsx'
export { FormDialog } from './form-dialog.tsx'
export { TableSearch } from './table-controls.tsx'
export { type TableState, useTableState } from './table-state.ts'
