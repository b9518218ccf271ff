//! `extension`: plugins, their instances, and the plugins that elements use.

use crate::types::PluginKind;

elements! {
    /// `<plugin>` of `<extension>`: a plugin that the model needs.
    Extension {
        plugin: key<PluginKind> (required), "Plugin that the model needs.";
    }

    /// `<instance>`: an instance of a plugin, which elements use by its name.
    Instance {
        name: name (required), "Name.";
    } with {
        /// The plugin, that of the element around it.
        plugin: Option<PluginKind>,
        /// Its settings.
        config: Vec<Config>,
    }

    /// `<config>`: one setting of an instance.
    Config {
        key: text (required), "What is said, a word of the plugin's.";
        value: text (required), "Its value.";
    }

    /// `<plugin>` of an element, or a part of one: a declared instance, or one of the element's own.
    PluginUse {
        plugin: key<PluginKind>, "Plugin, for an instance of its own.";
        instance: ref<plugin>, "Instance that `<extension>` declares.";
    } with {
        /// Settings of an instance of the element's own.
        config: Vec<Config>,
    }
}
