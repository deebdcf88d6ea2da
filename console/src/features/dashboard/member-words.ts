import { defineWords } from '../../i18n/words.ts';

export const memberWords = defineWords({
  invite: { en: 'Invite a node', zh: '邀请节点' },
  inviteText: {
    en: 'The node must run the same version and share the cookie of this cluster. It gives up its own configuration and data, takes those of the cluster, and its clients are disconnected.',
    zh: '该节点须与集群版本一致，并使用相同的 Cookie。加入后，其自身的配置和数据将被集群的取代，其客户端会断开连接。',
  },
  node: { en: 'Node name', zh: '节点名称' },
  'node.hint': { en: 'As the node calls itself: a name and its host', zh: '节点自身的名称：名称与主机' },
  nodeFault: {
    en: 'A node name is a name and a host, like {example}',
    zh: '节点名称由名称与主机组成，例如 {example}',
  },
  nodeThere: { en: '{node} is a member already', zh: '{node} 已是集群成员' },
  nodeDown: {
    en: 'No node of this name answers: look at its name, whether it runs, and its cookie',
    zh: '该名称的节点没有响应：请检查名称、运行状态和 Cookie',
  },
  invited: { en: '{node} has joined the cluster', zh: '{node} 已加入集群' },
  remove: { en: 'Remove from the cluster', zh: '移出集群' },
  removeAsk: { en: 'Remove {node} from the cluster?', zh: '将 {node} 移出集群？' },
  removeText: {
    en: 'Clients and sessions on this node are lost to the cluster. To come back, the node must be invited again.',
    zh: '该节点上的客户端和会话将脱离集群。如需重新加入，须再次邀请该节点。',
  },
  removeAction: { en: 'Remove', zh: '移除' },
  removed: { en: '{node} is no member any more', zh: '{node} 已移出集群' },
  lastNode: { en: 'A cluster keeps its last node', zh: '集群至少保留一个节点' },
});
