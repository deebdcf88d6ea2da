/** Heads of the columns of the nodes. */
export const columnWords = {
  node: { en: 'Name', zh: '名称' },
  node_status: { en: 'State', zh: '状态' },
  role: { en: 'Role', zh: '角色' },
  uptime: { en: 'Uptime', zh: '运行时长' },
  version: { en: 'Version', zh: '版本' },
  otp_release: { en: 'Run-time', zh: '运行时版本' },
  processes: { en: 'Processes', zh: '进程' },
  memory: { en: 'Memory', zh: '内存' },
  load: { en: 'Load 1 / 5 / 15', zh: '负载 1 / 5 / 15' },
  connections: { en: 'Sessions', zh: '会话' },
  live_connections: { en: 'Connected', zh: '在线' },
} as const;
