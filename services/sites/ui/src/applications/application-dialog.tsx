import { Checkbox, Fieldset, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { isNotEmpty, useForm, type UseFormReturnType } from '@mantine/form'
import { answer, FormDialog } from '@hearth/ui'
import { api, keys, type Schemas } from '../api.ts'
import { bodyOf, valuesOf, valuesOfPreset, type ApplicationValues } from './application-form.ts'
import { GroupSelect } from './group-select.tsx'
import type { Application, Preset } from './read-applications.ts'

interface ApplicationDialogProps {
  readonly presets: readonly Preset[]
  /** The application to change; a new one without it. */
  readonly of?: Application
  readonly onClose: () => void
  readonly onAdded?: (added: Schemas['OpenIdClientSecret']) => void
}

const required = isNotEmpty('Required')

/** The form of an application. The kind and the address fill in the rest. */
export function ApplicationDialog({ presets, of, onClose, onAdded }: ApplicationDialogProps) {
  const form = useForm<ApplicationValues>({
    initialValues: valuesOf(of, presets[0]),
    validate: { name: required, redirect_uris: required },
  })
  const { values } = form
  const preset = presets.find(({ id }) => id === values.preset)
  const fill = (kind: Preset | undefined, address: string) => {
    if (kind === undefined) return
    const isNamedByKind = presets.some(({ label }) => label === values.name) || values.name.trim() === ''
    const name = isNamedByKind && kind.id !== 'other' ? { name: kind.label } : {}
    form.setValues({ ...valuesOfPreset(kind, address), address, ...(of === undefined && name) })
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      size="lg"
      title={of === undefined ? 'Add an application' : `Change ${of.name}`}
      submitLabel={of === undefined ? 'Add application' : 'Save'}
      form={form}
      submit={async (filled) => {
        const body = bodyOf(filled)
        if (of === undefined) return answer(api.POST('/api/v1/openid/clients', { body }))
        const path = { id: of.id }
        const client = await answer(api.PUT('/api/v1/openid/clients/{id}', { params: { path }, body }))
        return { client, client_secret: null }
      }}
      onDone={(added) => of === undefined && onAdded?.(added)}
      renew={[keys.applications]}
    >
      <NativeSelect
        label="Kind"
        data={presets.map(({ id, label }) => ({ value: id, label }))}
        value={values.preset}
        onChange={({ currentTarget: { value } }) =>
          fill(
            presets.find(({ id }) => id === value),
            values.address,
          )
        }
        description={preset?.note}
      />
      <TextInput
        label="Name"
        description="People see it when they sign in."
        maxLength={100}
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Address"
        description="Where the application is reached. It fills in the addresses below."
        placeholder={preset?.address_hint ?? ''}
        value={values.address}
        onChange={({ currentTarget: { value } }) => fill(preset, value)}
      />
      <Textarea
        label="Redirect URIs"
        description="One per line. Sign-ins return there; each letter counts."
        autosize
        minRows={2}
        {...form.getInputProps('redirect_uris')}
      />
      <GroupSelect
        label="Groups that may use it"
        description="Without a group, everybody who can sign in at the portal."
        {...form.getInputProps('groups')}
      />
      <More form={form} />
    </FormDialog>
  )
}

function More({ form }: { form: Pick<UseFormReturnType<ApplicationValues>, 'getInputProps'> }) {
  return (
    <Fieldset legend="More">
      <Textarea
        label="Addresses after signing out"
        description="One per line."
        autosize
        minRows={1}
        {...form.getInputProps('post_logout_redirect_uris')}
      />
      <TextInput
        mt="sm"
        label="Back-channel logout address"
        description="The service tells the application there when somebody's session ends."
        {...form.getInputProps('backchannel_logout_uri')}
      />
      <NativeSelect
        mt="sm"
        label="Consent"
        data={[
          { value: 'given', label: 'Not asked: you agree for everybody' },
          { value: 'asked', label: 'Each user is asked once' },
        ]}
        {...form.getInputProps('consent')}
      />
      <Checkbox
        mt="sm"
        label="PKCE is required"
        description="Leave it on unless the application does not know PKCE."
        {...form.getInputProps('pkce_required', { type: 'checkbox' })}
      />
      <Checkbox
        mt="sm"
        label="Public client without a secret"
        description="For apps on telephones and in browsers. PKCE is always required then."
        {...form.getInputProps('is_public', { type: 'checkbox' })}
      />
      <Checkbox
        mt="sm"
        label="Name, e-mail and groups in the ID token"
        description="For applications that do not ask the userinfo endpoint."
        {...form.getInputProps('claims_in_id_token', { type: 'checkbox' })}
      />
    </Fieldset>
  )
}
