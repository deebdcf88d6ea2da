import { defineWords } from '../../i18n/words.ts';

export const installWords = defineWords({
  title: { en: 'Install plugin', zh: '安装插件' },
  purpose: {
    en: 'A package is a file name-version.tar.gz.',
    zh: '插件包的文件名形如 name-version.tar.gz。',
  },
  danger: { en: 'A plugin is other people’s code.', zh: '插件是他人编写的代码。' },
  dangerText: {
    en: 'It runs on the machine of the broker with the rights of the broker: it can read every message and every file that the broker can. Install only what you trust.',
    zh: '它在 Broker 所在的机器上运行，拥有与 Broker 相同的权限，可以读取 Broker 能读取的所有消息和文件。请只安装您信任的插件。',
  },
  drop: { en: 'Drop the package here, or choose a file', zh: '将插件包拖到此处，或选择文件' },
  dropNow: { en: 'Drop it to choose it', zh: '松开以选择该文件' },
  kind: { en: 'A .tar.gz file of {size} at most', zh: '.tar.gz 文件，最大 {size}' },
  chosen: { en: '{name}, {size}', zh: '{name}，{size}' },
  other: { en: 'Choose another file', zh: '选择其他文件' },
  install: { en: 'Install', zh: '安装' },
  installing: { en: 'Installing {name}', zh: '正在安装 {name}' },
  installed: { en: '{name} is installed', zh: '{name} 已安装' },
  nothing: { en: 'Choose a package first', zh: '请先选择插件包' },
  extension: { en: 'The file must end with .tar.gz', zh: '文件必须以 .tar.gz 结尾' },
  naming: {
    en: 'The file must be named name-version.tar.gz, as the folder inside is',
    zh: '文件必须命名为 name-version.tar.gz，并与其中的文件夹同名',
  },
  tooLarge: { en: 'The file is larger than {size}', zh: '文件超过 {size}' },
  oneFile: { en: 'One package at a time', zh: '一次只能安装一个插件包' },
  same: { en: '{name} is installed already', zh: '{name} 已经安装' },
  otherVersion: {
    en: '{name} is installed. There is one version of a plugin at a time.',
    zh: '已安装 {name}。同一插件只能安装一个版本。',
  },
  uninstallFirst: { en: 'Uninstall it first.', zh: '请先将其卸载。' },
  open: { en: 'Open {name}', zh: '打开 {name}' },
  replace: { en: 'Replace', zh: '替换' },
  replaceAsk: { en: 'Replace {name} by {next}?', zh: '用 {next} 替换 {name}？' },
  replaceText: {
    en: 'The old version is stopped and deleted. The new one keeps its place, its configuration, and whether it runs.',
    zh: '旧版本将被停止并删除。新版本保留原来的顺序、配置和运行状态。',
  },
  badPackage: { en: 'The package cannot be installed: {reason}', zh: '无法安装该插件包：{reason}' },
  failed: { en: 'It was not installed: {reason}', zh: '安装失败：{reason}' },
  forbidden: {
    en: 'The cluster must be told first that this package may be installed.',
    zh: '需要先在集群中允许安装该插件包。',
  },
  forbiddenText: {
    en: 'Run this on a node of the cluster, then install again:',
    zh: '请在集群的一个节点上运行以下命令，然后重新安装：',
  },
});
