export { accentFrom, contrast, type Shades } from './accent.ts'
export { answer, createApiClient } from './api-client.ts'
export { ApiError, describeError, type FieldProblem, readApiError, unreachable } from './api-error.ts'
export { useConnection } from './connection.ts'
export { CopyButton } from './copy-button.tsx'
export { useDocumentTitle } from './document-title.ts'
export { ErrorBoundary, NotFound } from './error-boundary.tsx'
export { type ConnectionState, useEventStream } from './event-stream.ts'
export { type EventEffects, followEvents } from './follow-events.ts'
export { applyFieldProblems, matchProblems } from './form-problems.ts'
export { formatBytes, formatCount, formatDuration, formatRate, formatRelative } from './format.ts'
export { type HearthAppOptions, startHearthApp } from './hearth-app.tsx'
export { page, type Page, type Role } from './page.ts'
export { EmptyState, ErrorState, LoadingLines, PageHeader, Section } from './page-parts.tsx'
export { PasswordForm } from './password-change.tsx'
export { createRefresher, type Refresher } from './refresher.ts'
export { RelativeTime, useNow } from './relative-time.tsx'
export type { Service } from './service.ts'
export { useSession, useSessionStore } from './session-context.tsx'
export {
  createSessionStore,
  type ServerSession,
  type SessionStore,
  type SessionWay,
  type SignInForm,
} from './session-store.ts'
export { Gate, Problem } from './sign-in.tsx'
export { StatusBadge, type Tone } from './status-badge.tsx'
export { type Action, notifyDone, notifyProblem, useAction } from './use-action.ts'
export { ConfirmDelete } from './confirm-delete.tsx'
export { type Column, DataTable, type TableAnswer } from './data-table.tsx'
export { FormDialog } from './form-dialog.tsx'
export { TableSearch } from './table-controls.tsx'
export { type TableState, useTableState } from './table-state.ts'
