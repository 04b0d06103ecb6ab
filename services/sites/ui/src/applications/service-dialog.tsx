import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, FormDialog } from '@hearth/ui'
import { api, keys } from '../api.ts'
import { GroupSelect } from './group-select.tsx'
import type { Application } from './read-applications.ts'

/** Kind of the applications that are Hearth services; they registered themselves. */
const servicePrefix = 'hearth-'

/** Returns true for a Hearth service that an administrator connected to the portal. */
export const isHearthService = ({ preset }: Pick<Application, 'preset'>): boolean => preset.startsWith(servicePrefix)

/** Users of this service have roles; the others have one account. */
const hasRoles = ({ preset }: Pick<Application, 'preset'>): boolean => preset === `${servicePrefix}vpn`

interface ServiceValues extends Record<string, unknown> {
  groups: string[]
  admin_groups: string[]
}

/** The form of a connected Hearth service: who may sign in there. The rest follows from its registration. */
export function ServiceDialog({ of, onClose }: { readonly of: Application; readonly onClose: () => void }) {
  const form = useForm<ServiceValues>({
    initialValues: { groups: of.groups, admin_groups: of.admin_groups ?? [] },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Who may sign in to ${of.name}`}
      submitLabel="Save"
      form={form}
      submit={(values) => {
        const { id, created_at: _created, last_used_at: _used, last_username: _who, ...settings } = of
        // Administrators may sign in; no group at all means everybody.
        const groups = values.groups.length === 0 ? [] : [...new Set([...values.groups, ...values.admin_groups])]
        const body = { ...settings, ...values, groups }
        return answer(api.PUT('/api/v1/openid/clients/{id}', { params: { path: { id } }, body }))
      }}
      renew={[keys.applications]}
    >
      <Text size="sm" c="dimmed">
        It counts at once: whoever may not sign in any more is signed out there.
      </Text>
      <GroupSelect
        label="Groups that may sign in"
        description={
          hasRoles(of)
            ? 'Without a group, everybody who can sign in at the portal.'
            : 'Everybody in them can change everything there. Without a group, everybody who can sign in at the portal.'
        }
        {...form.getInputProps('groups')}
      />
      {hasRoles(of) && (
        <GroupSelect
          label="Groups of administrators"
          description="Without a group, roles are given on the page Users there."
          {...form.getInputProps('admin_groups')}
        />
      )}
    </FormDialog>
  )
}
