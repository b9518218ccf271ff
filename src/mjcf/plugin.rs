//! `extension`, and the plugins that elements use.

use super::attrs::{self, Plain};
use super::defaults::{no_children, unknown_element};
use super::read::Reader;
use super::schema::{Config, Extension, Instance, PluginUse};
use super::xml::Node;
use crate::types::PluginKind;

impl Reader<'_> {
    /// A section `<extension>`.
    pub fn extension(&mut self, section: &Node) {
        for node in &section.children {
            if node.tag != "plugin" {
                unknown_element(&mut self.log, node, &node.tag, ["plugin"].into_iter());
                continue;
            }
            if node.attr("plugin") == Some("mujoco.elasticity.cable") {
                let msg = "the plugin of cables was removed in MuJoCo 4.0; use a <flexcomp dim=\"1\"> instead";
                self.log.mistake(node.origin, Some("plugin"), msg);
                continue;
            }
            let said: Extension = attrs::read(&mut self.log, node, &Plain);
            for child in &node.children {
                if child.tag != "instance" {
                    unknown_element(&mut self.log, child, &child.tag, ["instance"].into_iter());
                    continue;
                }
                let mut instance: Instance = attrs::read(&mut self.log, child, &Plain);
                instance.plugin = said.plugin;
                instance.config = self.config(child);
                self.spec.plugins.push(instance);
            }
            self.spec.need_plugin(said);
        }
    }

    /// The child `<plugin>` of an element, if it has one; it may have no other children.
    pub fn own_plugin(&mut self, node: &Node) -> Option<Box<PluginUse>> {
        let mut found = None;
        for child in &node.children {
            if child.tag != "plugin" {
                let msg = format!("<{}> may have no children except <plugin>", node.tag);
                self.log.mistake(child.origin, None, msg);
                continue;
            }
            if found.is_some() {
                let msg = format!("<{}> has a plugin already; keep one", node.tag);
                self.log.mistake(child.origin, None, msg);
            }
            let said: PluginUse = attrs::read(&mut self.log, child, &Plain);
            found = Some(Box::new(self.plugin(child, said.plugin, said.instance)));
        }
        found
    }

    /// The plugin that an element uses, by `plugin`, `instance` or both.
    pub fn plugin(
        &mut self,
        node: &Node,
        plugin: Option<PluginKind>,
        instance: Option<String>,
    ) -> PluginUse {
        if plugin.is_none() && instance.is_none() {
            let msg = "needs the attribute plugin (for a new instance) or the attribute instance";
            self.log.mistake(node.origin, None, msg);
        }
        let config = self.config(node);
        if let (Some(of), Some(first)) = (&instance, config.first()) {
            let msg = format!(
                "the instance {of:?} is configured in its declaration in <extension>; move this <config> there"
            );
            self.log.mistake(first.origin, None, msg);
        }
        PluginUse {
            plugin,
            instance,
            config,
            origin: node.origin,
        }
    }

    fn config(&mut self, node: &Node) -> Vec<Config> {
        let mut all: Vec<Config> = Vec::new();
        for child in &node.children {
            if child.tag != "config" {
                unknown_element(&mut self.log, child, &child.tag, ["config"].into_iter());
                continue;
            }
            let config: Config = attrs::read(&mut self.log, child, &Plain);
            no_children(&mut self.log, child);
            if let Some(key) = &config.key
                && all.iter().any(|other| other.key == config.key)
            {
                let msg = format!("the key {key:?} is given twice; keep one");
                self.log.mistake(child.origin, Some("key"), msg);
            }
            all.push(config);
        }
        all
    }
}
