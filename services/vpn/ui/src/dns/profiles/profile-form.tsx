import { Checkbox, Modal, MultiSelect, NativeSelect, NumberInput, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { answer, ApiError, FormDialog, LoadingLines, QueryState } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { useGroups } from '../../access/access-queries.ts'
import { api, type DnsProfile, type DnsProfileDetail, keys, readBlocklists, readInterfaces } from '../../api.ts'
import { MemberPicker } from '../../peers/member-picker.tsx'
import { profileRenewals, useProfile, useProfiles, useServices } from './profile-queries.ts'
import { problemAtField, type ProfileValues, profileValues, toProfile } from './profile-values.ts'
import { ScheduleFields } from './schedule-fields.tsx'

type Form = UseFormReturnType<ProfileValues>

/** Adds a profile, or changes one. */
export function ProfileForm({ profile, onClose }: { profile?: DnsProfile; onClose: () => void }) {
  if (profile === undefined) return <LoadedForm profile={undefined} onClose={onClose} />
  return <EditProfile id={profile.id} onClose={onClose} />
}

function EditProfile({ id, onClose }: { id: string; onClose: () => void }) {
  const detail = useProfile(id)
  if (detail.data !== undefined) return <LoadedForm profile={detail.data} onClose={onClose} />
  return (
    <Modal opened onClose={onClose} title="Edit profile">
      <QueryState query={detail} lines={6} />
    </Modal>
  )
}

const validate = {
  name: (text: string) => (text.trim() === '' ? 'Enter a name' : null),
  times: {
    days: (days: string[], { when }: ProfileValues) => (when === 'times' && days.length === 0 ? 'Choose a day' : null),
    from: (text: string, { when }: ProfileValues) => (when === 'times' && text === '' ? 'Enter a time' : null),
    to: (text: string, { when }: ProfileValues) => (when === 'times' && text === '' ? 'Enter a time' : null),
  },
}

function LoadedForm({ profile, onClose }: { profile: DnsProfileDetail | undefined; onClose: () => void }) {
  const form = useForm<ProfileValues>({ initialValues: profileValues(profile), validate })
  const profiles = useProfiles().data ?? []
  const submit = async (values: ProfileValues) => {
    const body = toProfile(values)
    try {
      return profile === undefined
        ? await answer(api.POST('/api/dns/profiles', { body }))
        : await answer(api.PUT('/api/dns/profiles/{id}', { params: { path: { id: profile.id } }, body }))
    } catch (error) {
      throw atFields(error, values)
    }
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={profile === undefined ? 'Add profile' : 'Edit profile'}
      submitLabel={profile === undefined ? 'Add profile' : 'Save'}
      size="lg"
      form={form}
      submit={submit}
      renew={profileRenewals}
    >
      <Stack gap="xl" className="profile-form">
        <TextInput
          label="Name"
          placeholder="Children"
          required
          maxLength={64}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Assignment form={form} profile={profile} />
        <FilterFields form={form} />
        <ScheduleFields form={form} others={profiles.filter(({ id }) => id !== profile?.id)} />
      </Stack>
    </FormDialog>
  )
}

/** The problems of a request at the fields that show them. */
function atFields(error: unknown, values: ProfileValues): unknown {
  if (!(error instanceof ApiError)) return error
  const fields = error.fields.map((problem) => problemAtField(problem, values))
  return new ApiError(error.message, { status: error.status, kind: error.kind, details: { ...error.details, fields } })
}

function Assignment({ form, profile }: { form: Form; profile: DnsProfileDetail | undefined }) {
  const groups = useGroups().data ?? []
  const interfaces = useQuery({ queryKey: keys.interfaces, queryFn: readInterfaces }).data ?? []
  return (
    <fieldset>
      <legend>For whom</legend>
      <MemberPicker known={profile?.peers ?? []} {...form.getInputProps('peer_ids')} />
      <MultiSelect
        label="Groups"
        searchable
        clearable
        nothingFoundMessage="No group found"
        data={groups.map(({ id, name }) => ({ value: id, label: name }))}
        {...form.getInputProps('group_ids')}
      />
      <MultiSelect
        label="Interfaces"
        description="What is assigned to a device comes before that of its group, and that before the interface. Each has one profile: it is taken from another one"
        clearable
        data={interfaces.map(({ name }) => name)}
        {...form.getInputProps('interfaces')}
      />
    </fieldset>
  )
}

function FilterFields({ form }: { form: Form }) {
  const isName = { autoCapitalize: 'none', spellCheck: false }
  return (
    <fieldset>
      <legend>What is filtered</legend>
      <Services form={form} />
      <Checkbox
        label="Safe search"
        description="Google, Bing, DuckDuckGo, Ecosia, Brave and Pixabay leave out what is for adults"
        {...form.getInputProps('safe_search', { type: 'checkbox' })}
      />
      <NativeSelect
        label="YouTube"
        description="Restricted mode also hides comments and live videos"
        data={[
          { value: '', label: 'Everything' },
          { value: 'moderate', label: 'Restricted, moderate' },
          { value: 'strict', label: 'Restricted, strict' },
        ]}
        {...form.getInputProps('youtube')}
      />
      <NativeSelect
        label="Block lists"
        data={[
          { value: 'all', label: 'All lists, also those added later' },
          { value: 'some', label: 'Only those chosen here' },
        ]}
        {...form.getInputProps('whichLists')}
      />
      {form.getValues().whichLists === 'some' && <Lists form={form} />}
      <Textarea
        label="Blocked names"
        description="One per line, each with everything below it; *.example.com only what is below"
        placeholder="games.example.com"
        autosize
        minRows={2}
        maxRows={8}
        {...isName}
        {...form.getInputProps('blocked')}
      />
      <Textarea
        label="Allowed names"
        description="They come before services, lists and the rules for everyone"
        autosize
        minRows={2}
        maxRows={8}
        {...isName}
        {...form.getInputProps('allowed')}
      />
      <NativeSelect
        label="Answer to blocked names"
        data={[
          { value: '', label: 'As the DNS settings say' },
          { value: 'zero_ip', label: 'An address that leads nowhere' },
          { value: 'nxdomain', label: 'No such name' },
          { value: 'refused', label: 'Refused' },
        ]}
        {...form.getInputProps('block_mode')}
      />
      <NumberInput
        label="Devices may pause their filter for"
        description="On the page inside the tunnel, each time at most; 0 for never"
        suffix=" min"
        min={0}
        max={1440}
        allowDecimal={false}
        {...form.getInputProps('self_pause_minutes')}
      />
    </fieldset>
  )
}

const categories = {
  social: 'Social networks',
  messages: 'Messages',
  video: 'Video',
  music: 'Music',
  games: 'Games',
  assistants: 'Assistants',
} as const

function Services({ form }: { form: Form }) {
  const services = useServices().data ?? []
  return (
    <MultiSelect
      label="Services that are off"
      placeholder={form.getValues().services.length === 0 ? 'YouTube, TikTok, Roblox' : ''}
      searchable
      clearable
      hidePickedOptions
      nothingFoundMessage="No service found"
      data={Object.entries(categories).map(([category, group]) => ({
        group,
        items: services
          .filter((service) => service.category === category)
          .map(({ id, name }) => ({ value: id, label: name })),
      }))}
      {...form.getInputProps('services')}
    />
  )
}

function Lists({ form }: { form: Form }) {
  const lists = useQuery({ queryKey: keys.blocklists, queryFn: readBlocklists })
  if (lists.data === undefined) return <LoadingLines lines={2} />
  return (
    <Checkbox.Group aria-label="Chosen lists" {...form.getInputProps('lists')}>
      <Stack gap={6}>
        {lists.data.map(({ id, name, enabled }) => (
          <Checkbox key={id} value={id} label={enabled ? name : `${name} (disabled)`} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
