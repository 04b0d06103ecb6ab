import { defineConfig, mergeConfig } from 'vite'
import { hearthUi } from '@hearth/ui/vite'

const server = 'http://127.0.0.1:8102'

export default defineConfig(
  mergeConfig(hearthUi({ title: 'Hearth Inverter', server }), {
    server: { proxy: { '/admin/api': server, '/metrics': server, '/docs': server, '/openapi.json': server } },
  }),
)
