import { defineConfig } from 'vite'
import { hearthUi } from '@hearth/ui/vite'

export default defineConfig(hearthUi({ title: 'Hearth VPN', server: 'http://127.0.0.1:8101' }))
